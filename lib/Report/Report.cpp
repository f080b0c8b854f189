// Report/Report
