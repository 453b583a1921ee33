export type Permission = { scope: string; title: string; detail: string }

/** What each scope means, in the words of the consent page. */
const permissions: readonly Permission[] = [
  { scope: 'openid', title: 'Recognize your account', detail: 'By an ID, without your name or email' },
  { scope: 'email', title: 'See your email address', detail: 'The address you sign in with' },
  { scope: 'profile', title: 'See your name', detail: 'As shown in your profile' },
  { scope: 'files.read', title: 'See your files', detail: 'Names and contents' },
  { scope: 'files.write', title: 'Add files', detail: 'New files only; existing ones aren’t changed or deleted' },
]

export const knownScopes: readonly string[] = permissions.map(({ scope }) => scope)

export const permissionsOf = (scope: string): Permission[] => {
  const asked = new Set(scope.split(' '))
  return permissions.filter((permission) => asked.has(permission.scope))
}

export type AuthorizationOutcome = { accessType: unknown; consentGivenNow: boolean }

/**
 * Whether the code may become a refresh token. As at Google: it must have been asked for, and it comes only with a
 * consent that the user gave just now. A returning user is approved without a page, and then there is none.
 */
export const earnsRefreshToken = ({ accessType, consentGivenNow }: AuthorizationOutcome): boolean =>
  asksForOfflineAccess(accessType) && consentGivenNow

/** Access for when the user is away, as Google's `access_type` asks for it. */
export const asksForOfflineAccess = (accessType: unknown): boolean => accessType === 'offline'
