import { z } from 'zod'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import { Secret } from '../../../kit/crypto/secret.ts'
import { stored } from '../../../kit/database/stored.ts'
import { sealContext } from '../../shared/domain/seal-context.ts'
import type { ExecutionSecrets } from '../domain/execution.ts'

const Secrets = z.object({
  env: z.record(z.string(), z.string()),
  callback: z
    .object({ url: z.string(), secret: z.string().optional(), attempts: z.number() })
    .transform(({ secret, ...rest }) => ({ ...rest, secret }))
    .optional(),
})

export const sealSecrets = (box: SealedBox, uid: string, secrets: Secret<ExecutionSecrets>): string =>
  box.seal(new Secret(JSON.stringify(secrets.reveal())), sealContext.execution(uid))

export const openSecrets = (box: SealedBox, uid: string, sealed: string): Secret<ExecutionSecrets> =>
  new Secret(stored(Secrets, JSON.parse(box.open(sealed, sealContext.execution(uid)).reveal())))
