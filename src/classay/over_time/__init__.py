"""Over time: days, weeks or months of cases as groups in an order; decisions and gates in each."""
