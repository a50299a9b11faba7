from .render import render as render
from .write_report import write_report as write_report
