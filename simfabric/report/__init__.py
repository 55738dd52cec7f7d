"""`report=`: one self-contained page about a run (`data` collects, `page.html` shows)."""

from simfabric.report.data import report_data
from simfabric.report.page import page_text

__all__ = ["page_text", "report_data"]
