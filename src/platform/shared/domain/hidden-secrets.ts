/** A third party may echo a token. Secrets shorter than 8 characters would match too much. */
export function secretHider(secrets: readonly string[]): (text: string) => string {
  const spelled = spelledSecrets(secrets)
  return (text) => spelled.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)
}

export const spelledSecrets = (secrets: readonly string[]): string[] => [
  ...new Set(secrets.filter((secret) => secret.length >= 8).flatMap(spellings)),
]

const spellings = (secret: string) => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  secret.replaceAll('/', '\\/'),
  encodeURIComponent(secret),
]

/** Returns the same object if nothing was replaced. */
export function hideInJson<T>(value: T, hide: (text: string) => string): T {
  const text = JSON.stringify(value)
  const hidden = hide(text)
  return hidden === text ? value : JSON.parse(hidden)
}
