"""Groups of cases: assessed, compared and decided for apart; trends over groups in an order."""
