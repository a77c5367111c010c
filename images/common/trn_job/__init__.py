"""Entrypoint of job containers: checks the machine, prepares and resumes the job, runs torchrun, keeps what it made.

Standard library only. It takes facts and names from spec/, which the image holds beside it.
"""
