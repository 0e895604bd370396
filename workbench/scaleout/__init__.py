"""Stages for collections too big for a project: one SQL text, on DuckDB inside this program or on a Spark cluster."""
