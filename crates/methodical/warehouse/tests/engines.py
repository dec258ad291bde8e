"""Answers the five questions of the guide with several engines, and compares their answers: DuckDB over deltalake reads
the tables from the S3 server of moto, and Spark and DuckDB read plain Parquet files.

Arguments: the program `gateway` of this workspace, the guide, a mirror, and a folder for plain files. It needs what `.ci/warehouse`
installs, and `pyspark` with a Java runtime. It is not part of CI: it is for large mirrors.
"""

import multiprocessing
import os
import re
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path

import duckdb
from deltalake import DeltaTable
from pyspark.sql import SparkSession

from measure import Meter, measured
from s3_server import s3_server

PROGRAM, GUIDE, MIRROR, FOLDER = (str(Path(argument).resolve()) for argument in sys.argv[1:5])
TABLES = ["candidate", "vacancy", "candidate_vacancy", "mirror_spell", "mirror_sample"]
QUESTIONS = re.findall(r"^```sql\n(.*?)^```", Path(GUIDE).read_text(), re.M | re.S)


def shown(rows):
    def cell(value):
        if hasattr(value, "year"):
            return str(value)[:10]
        return round(float(value), 1) if isinstance(value, (int, float, Decimal)) else value

    return sorted((tuple(cell(value) for value in row) for row in rows), key=repr)


def export(*arguments):
    """Runs an export, and prints its CPU time and its memory."""
    command = [PROGRAM, "mirror", "export", "--from", MIRROR, *arguments]
    print(f"export {' '.join(arguments)}: {written(measured(command, stdout=subprocess.DEVNULL))}", flush=True)


def written(figures):
    duration, cpu, memory = figures
    return f"{duration:.1f} s, CPU {cpu:.1f} s, {memory:.0f} MiB"


def ask(engine, process, sql):
    answers = []
    for question in QUESTIONS:
        meter = Meter(process)
        answers.append(shown(sql(question)))
        print(f"{engine}, question {len(answers)}: {written(meter.measured())}, {len(answers[-1])} rows, first {answers[-1][0]}", flush=True)
    return answers


def connect():
    connection = duckdb.connect(config={"memory_limit": "4GB"})
    connection.sql("SET TimeZone = 'UTC'; SET enable_progress_bar = false")
    return connection


def duckdb_over_deltalake(settings):
    connection = connect()
    for name in TABLES:
        table = DeltaTable(f"s3://archive/tables/{name}", storage_options=settings)
        connection.register(name, table.to_pyarrow_dataset())
    return ask("DuckDB over deltalake on S3", os.getpid(), lambda question: connection.sql(question).fetchall())


def duckdb_over_files(_settings):
    connection = connect()
    for name in TABLES:
        connection.sql(f"CREATE VIEW {name} AS SELECT * FROM '{FOLDER}/{name}/*.parquet'")
    return ask("DuckDB over Parquet files", os.getpid(), lambda question: connection.sql(question).fetchall())


def spark_over_files(_settings):
    spark = (
        SparkSession.builder.master("local[2]").appName("questions")
        .config("spark.driver.memory", "4g").config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.session.timeZone", "UTC").config("spark.sql.shuffle.partitions", "8")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    for name in TABLES:
        spark.read.parquet(f"file://{FOLDER}/{name}").createOrReplaceTempView(name)

    def sql(question):
        # The name of this function is the only difference.
        return [tuple(row) for row in spark.sql(question.replace("date_diff('day', ", "datediff(DAY, ")).collect()]

    answers = ask("Spark over Parquet files", spark.sparkContext._gateway.proc.pid, sql)
    spark.stop()
    return answers


def main():
    with s3_server() as settings:
        with ThreadPoolExecutor() as exports:
            files = exports.submit(export, "--to", FOLDER, "--format", "parquet")
            exports.submit(export, "--to", "s3://archive/tables").result()
            files.result()
        answers = []
        for engine in [duckdb_over_files, duckdb_over_deltalake, spark_over_files]:
            # In a process of its own, so that its memory is not that of the server.
            with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
                answers.append(pool.submit(engine, settings).result())
        for others in answers[1:]:
            for number, (one, other) in enumerate(zip(answers[0], others, strict=True), 1):
                assert one == other, f"question {number}: {one[:3]} and {other[:3]}"
    print("all engines give the same answers")


if __name__ == "__main__":
    main()
