/**
 * Whether a session is over because the password of its person was set after the sign-in: whoever sets a new one may
 * have lost the old one to somebody who is signed in with it. Sessions count whole seconds, so one that began in the
 * second of the change counts as newer.
 */
export const endedByPassword = (signedInAt: number | undefined, passwordSetAt: Date | undefined): boolean =>
  passwordSetAt !== undefined && (signedInAt ?? 0) < Math.floor(passwordSetAt.getTime() / 1000)
