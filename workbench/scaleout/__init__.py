"""Jobs for collections too big for a project: the same SQL on DuckDB inside this program or on a Spark cluster."""
