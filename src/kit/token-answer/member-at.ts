/** Reads the path `a.b.c`, as used in profiles. */
export function memberAt(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, key) => {
    return typeof at === 'object' && at !== null && Object.hasOwn(at, key)
      ? (at as Record<string, unknown>)[key]
      : undefined
  }, value)
}

/** The error code at the path. Some third parties send numbers. */
export function codeAt(value: unknown, path: string): string | undefined {
  const code = memberAt(value, path)
  return typeof code === 'string' || typeof code === 'number' ? String(code) : undefined
}
