// Loads oidc-provider without its warning about Node 20, on which our tests run.
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
