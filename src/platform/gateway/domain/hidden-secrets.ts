/** A third party that echoes what it was sent must not hand the token to the client. Short ones are in too many texts. */
export function secretHider(secrets: readonly string[]): (text: string) => string {
  const spelled = secrets.filter((secret) => secret.length >= 8).flatMap(spellings)
  return (text) => spelled.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)
}

/** As it is, in JSON, in JSON of writers that escape slashes, and in an address. */
const spellings = (secret: string) => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  secret.replaceAll('/', '\\/'),
  encodeURIComponent(secret),
]

/** The same value, and the very same one where nothing had to be hidden. */
export function hideInJson<T>(value: T, hide: (text: string) => string): T {
  const text = JSON.stringify(value)
  const hidden = hide(text)
  return hidden === text ? value : JSON.parse(hidden)
}
