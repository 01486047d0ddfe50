"""All that the labs import beside `snippets`: plain functions that measure, choose, plan and draw."""
