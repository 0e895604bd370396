"""A share in percent, as every screen, report and explanation writes it."""


def percent(part: float) -> str:
    """A share of 0..1 in percent, with one decimal below ten; never rounded to none or all."""
    if 0 < part < 0.001:
        return "< 0.1 %"
    if 0.995 <= part < 1:
        return "> 99 %"
    return f"{100 * part:.1f} %" if 0 < part < 0.0995 else f"{100 * part:.0f} %"
