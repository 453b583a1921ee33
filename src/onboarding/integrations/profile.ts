import type { Profile } from '../domain/integration.ts'

/** A profile with everything that is usual left out. */
export type ProfileData = Pick<Profile, 'id' | 'displayName' | 'description' | 'scopes'> & Partial<Profile>

export const profile = (data: ProfileData): Profile => ({
  scopeSeparator: ' ',
  authorizationParameters: {},
  forceConsentParameters: { prompt: 'consent' },
  clientAuthentication: 'client_secret_post',
  issuerInCallback: false,
  account: { from: 'id_token', id: 'sub', label: 'email' },
  tokenAnswer: {},
  // The careful assumption: where it is wrong, a grant that was replaced stays until the provider forgets it.
  revocationReach: 'grant',
  otherAccountParameters: { prompt: 'login consent' },
  health: { by: 'function' },
  ...data,
})
