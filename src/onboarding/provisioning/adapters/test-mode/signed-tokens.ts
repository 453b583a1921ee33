import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { derivedKey } from '../../../../kit/crypto/sealed-box.ts'
import type { Secret } from '../../../../kit/crypto/secret.ts'
import { testOutcomes } from '../../../domain/test-mode/test-mode.ts'

const Grant = { outcome: z.enum(testOutcomes), scopes: z.array(z.string()), grantedAt: z.number() }

const Token = z.discriminatedUnion('use', [
  z.object({ use: z.literal('code'), ...Grant, challenge: z.string(), redirectUri: z.string() }),
  z.object({ use: z.literal('access'), ...Grant }),
  z.object({ use: z.literal('refresh'), ...Grant }),
])
export type TestToken = z.infer<typeof Token>

export type SignedTokens = { write(token: TestToken): string; read(text: string): TestToken | undefined }

/** Self-contained, so every process can read them. They give no access; the signature only rejects made-up texts. */
export function signedTokens(signingKey: Secret<Buffer>): SignedTokens {
  const key = derivedKey(signingKey.reveal(), 'causeway test provider')
  const signatureOf = (content: string) => createHmac('sha256', key).update(content).digest()
  return {
    write(token) {
      const content = Buffer.from(JSON.stringify(token)).toString('base64url')
      return `${content}.${signatureOf(content).toString('base64url')}`
    },
    read(text) {
      const [content = '', signature = ''] = text.split('.')
      const [given, expected] = [Buffer.from(signature, 'base64url'), signatureOf(content)]
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
      return Token.parse(JSON.parse(Buffer.from(content, 'base64url').toString()))
    },
  }
}
