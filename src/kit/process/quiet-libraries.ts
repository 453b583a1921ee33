// Import it first: with DEBUG set, Express prints the URL of every request, with cursors and codes.
delete process.env.DEBUG
