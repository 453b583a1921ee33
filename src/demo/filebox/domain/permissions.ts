export type Permission = { scope: string; title: string; detail: string }

/** What each scope means, in the words of the consent page. */
const permissions: readonly Permission[] = [
  { scope: 'openid', title: 'Know which account is yours', detail: 'A number that stands for you, nothing more' },
  { scope: 'email', title: 'See your email address', detail: 'The address you sign in with' },
  { scope: 'profile', title: 'See your name', detail: 'As you wrote it in your profile' },
  { scope: 'files.read', title: 'See your files', detail: 'Their names and what is in them' },
  { scope: 'files.write', title: 'Add files', detail: 'New ones only: nothing is changed or deleted' },
]

export const knownScopes: readonly string[] = permissions.map(({ scope }) => scope)

export const permissionsOf = (scope: string): Permission[] => {
  const asked = new Set(scope.split(' '))
  return permissions.filter((permission) => asked.has(permission.scope))
}
