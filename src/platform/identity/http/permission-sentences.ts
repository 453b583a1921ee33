type Asked = { personalScopes: readonly string[]; scopes: readonly string[] }

const personal: Record<string, string> = {
  openid: 'See your email address',
  offline_access: 'Keep access when you’re not using it, until you revoke it',
}

/** Scopes as sentences, one for each resource. */
export function permissionSentences({ personalScopes, scopes }: Asked): string[] {
  const about = personalScopes.flatMap((scope) => personal[scope] ?? [])
  if (scopes.includes('admin')) return [...about, 'Do everything you can do on this platform']
  const resources = [...new Set(scopes.map((scope) => scope.split(':')[0] ?? scope))]
  return [...about, ...resources.map((resource) => `${words(resource)}: ${actions(resource, scopes).join(', ')}`)]
}

const actions = (resource: string, scopes: readonly string[]) =>
  scopes.filter((scope) => scope.startsWith(`${resource}:`)).map((scope) => scope.slice(resource.length + 1))

const words = (resource: string) =>
  resource.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/^./, (first) => first.toUpperCase())
