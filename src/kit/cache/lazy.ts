/** Made when somebody first asks, then kept: for what takes a while and may never be wanted. */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
