import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import { Secret } from '../../../kit/crypto/secret.ts'
import type { ExecutionSecrets } from '../domain/execution.ts'

const contextOf = (uid: string) => `execution|${uid}`

export const sealSecrets = (box: SealedBox, uid: string, secrets: Secret<ExecutionSecrets>): string =>
  box.seal(new Secret(JSON.stringify(secrets.reveal())), contextOf(uid))

export const openSecrets = (box: SealedBox, uid: string, sealed: string): Secret<ExecutionSecrets> =>
  new Secret(JSON.parse(box.open(sealed, contextOf(uid)).reveal()))
