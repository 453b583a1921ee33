// Reuses key pairs of closed providers: generating one takes half a second of CPU.
import { exportJWK, generateKeyPair } from 'jose'

const spare: Array<Awaited<ReturnType<typeof generate>>> = []

/** Open providers never share a pair. */
export async function borrowKeys() {
  const keys = spare.pop() ?? (await generate())
  let lent = true
  return {
    privateKey: keys.privateKey,
    jwk: { ...keys.jwk },
    returnKeys() {
      if (lent) spare.push(keys)
      lent = false
    },
  }
}

async function generate() {
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid: 'key-1', alg: 'RS256', use: 'sig' } }
}
