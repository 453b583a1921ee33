/** Names under which a machine reaches nobody but itself, as `URL` writes them. */
export const isLoopback = (hostname: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
