// To be imported before anything else is loaded. With DEBUG set, express and its parts print the address of every
// request, and addresses hold cursors, codes and names; our own log has its level and prints none of them.
delete process.env.DEBUG
