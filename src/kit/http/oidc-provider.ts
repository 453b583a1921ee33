// oidc-provider without the warning it prints when it is loaded by Node 20. It runs there, our tests cover it, and a
// person at a terminal or reading a log could not act on the line.
import type Library from 'oidc-provider'

const { default: Provider, errors, interactionPolicy } = await quietly(() => import('oidc-provider'))

type Provider = Library

export { errors, interactionPolicy, Provider }

async function quietly<T>(load: () => Promise<T>): Promise<T> {
  const warn = console.warn
  console.warn = () => {}
  try {
    return await load()
  } finally {
    console.warn = warn
  }
}
