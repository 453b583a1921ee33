/** Who sees at the platform what the demo costs. Everybody may know the password: it opens nothing beyond this machine. */
export const platformUser = { email: 'admin@acme.example', password: 'platform-admin' }
