"""The method ``altered``: passages whose words were changed, moved, left out or summed up."""
