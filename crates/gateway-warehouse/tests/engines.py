"""Answers the five questions of the guide with several engines, and compares their answers: DuckDB over deltalake reads
the tables from the S3 server of moto, and Spark and DuckDB read plain Parquet files.

Arguments: the program `gateway` of this workspace, the guide, a mirror, and a folder for plain files. It needs what `.ci/warehouse`
installs, and `pyspark` with a Java runtime. It is not part of CI: it is for large mirrors.
"""

import logging
import os
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

import boto3
import duckdb
from deltalake import DeltaTable
from moto.server import ThreadedMotoServer
from pyspark.sql import SparkSession

PROGRAM, GUIDE, MIRROR, FOLDER = (str(Path(argument).resolve()) for argument in sys.argv[1:5])
TABLES = ["candidate", "vacancy", "candidate_vacancy", "mirror_spell", "mirror_sample"]
QUESTIONS = re.findall(r"^```sql\n(.*?)^```", Path(GUIDE).read_text(), re.M | re.S)


def shown(rows):
    def cell(value):
        if hasattr(value, "year"):
            return str(value)[:10]
        return round(float(value), 1) if isinstance(value, (int, float)) else value

    return sorted((tuple(cell(value) for value in row) for row in rows), key=repr)


def export(*arguments):
    """Runs an export, and prints its CPU time and its memory."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.monotonic()
    subprocess.run([PROGRAM, "mirror", "export", "--from", MIRROR, *arguments], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"export {' '.join(arguments)}: {time.monotonic() - begun:.1f} s, CPU {cpu:.1f} s, {after.ru_maxrss >> 10} MiB", flush=True)


def ask(engine, sql):
    answers = []
    for question in QUESTIONS:
        begun, cpu = time.monotonic(), time.process_time()
        answers.append(shown(sql(question)))
        print(f"{engine}, question {len(answers)}: {time.monotonic() - begun:.1f} s, CPU of Python {time.process_time() - cpu:.1f} s, "
              f"{len(answers[-1])} rows, first {answers[-1][0]}", flush=True)
    return answers


def duckdb_over_deltalake(options):
    connection = duckdb.connect(config={"memory_limit": "4GB"})
    connection.sql("SET TimeZone = 'UTC'")
    for name in TABLES:
        table = DeltaTable(f"s3://archive/tables/{name}", storage_options=options)
        connection.register(name, table.to_pyarrow_dataset())
    return ask("DuckDB over deltalake on S3", lambda question: connection.sql(question).fetchall())


def duckdb_over_files():
    connection = duckdb.connect(config={"memory_limit": "4GB"})
    connection.sql("SET TimeZone = 'UTC'")
    for name in TABLES:
        connection.sql(f"CREATE VIEW {name} AS SELECT * FROM '{FOLDER}/{name}/*.parquet'")
    return ask("DuckDB over Parquet files", lambda question: connection.sql(question).fetchall())


def spark_over_files():
    spark = (
        SparkSession.builder.master("local[2]").appName("questions")
        .config("spark.driver.memory", "4g").config("spark.ui.enabled", "false")
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

    answers = ask("Spark over Parquet files", sql)
    spark.stop()
    return answers


def main():
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    settings = {
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "SECRETSECRET",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT": f"http://{host}:{port}",
        "AWS_ALLOW_HTTP": "true",
    }
    os.environ.update(settings, NO_PROXY="127.0.0.1")
    boto3.client("s3", endpoint_url=settings["AWS_ENDPOINT"], region_name="us-east-1").create_bucket(Bucket="archive")
    export("--to", FOLDER, "--format", "parquet")
    export("--to", "s3://archive/tables")
    expected = duckdb_over_files()
    for answers in [duckdb_over_deltalake(settings), spark_over_files()]:
        for number, (one, other) in enumerate(zip(expected, answers, strict=True), 1):
            assert one == other, f"question {number}: {one[:3]} and {other[:3]}"
    print("all engines give the same answers")
    server.stop()


main()
