"""Staging datasets."""
