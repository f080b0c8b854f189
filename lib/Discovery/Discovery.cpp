// Discovery/Discovery
