"""A writer's own words, and words that were copied, in three languages."""

OWN = {
    "en": "The harbour was quiet that year, and nobody spoke of ships.",
    "ja": "その年の港は静かで、船の話をする者はいなかった。",
    "zh": "那一年的港口很安静，没有人谈论船只。",
}
COPIED = {
    "en": (
        "The committee met on Monday to hear the report of its auditors.",
        "Three of the five accounts had been closed without any notice.",
        "The chairman promised an answer before the end of the week.",
    ),
    "ja": (
        "委員会は月曜日に会計監査の報告を聞くために開かれた。",
        "五つの口座のうち三つは予告なしに閉じられていた。",
        "議長は週末までに回答すると約束した。",
    ),
    "zh": (
        "委员会于星期一开会听取审计人员的报告。",
        "五个账户中有三个未经通知即被关闭。",
        "主席承诺在本周结束前给出答复。",
    ),
}
