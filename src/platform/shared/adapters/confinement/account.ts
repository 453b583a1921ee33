/** Whoever runs the platform as root must not run commands of tenants as root: `nobody`, as everywhere. */
export const commandAccount = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined
