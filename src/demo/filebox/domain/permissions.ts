type Permission = { scope: string; title: string; detail: string }

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

type AuthorizationOutcome = { accessType: unknown; consentGivenNow: boolean }

/** As at Google: a refresh token must be requested, and is issued only if the user has just consented on a page. */
export const earnsRefreshToken = ({ accessType, consentGivenNow }: AuthorizationOutcome): boolean =>
  asksForOfflineAccess(accessType) && consentGivenNow

/** Google's `access_type`. */
export const asksForOfflineAccess = (accessType: unknown): boolean => accessType === 'offline'
