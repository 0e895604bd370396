"""The method ``altered``: passages whose words were changed, moved, omitted or summarised."""
