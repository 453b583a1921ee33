import { Secret } from '../../../kit/crypto/secret.ts'
import type { Actor } from '../../domain/audit/audit.ts'
import { linkEntry } from '../../domain/audit/audit-entry.ts'
import type { Config, Link } from '../../domain/link.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { sealContext } from '../../domain/seal-context.ts'
import type { Settings } from '../../domain/settings.ts'
import { findLink } from './find-link.ts'

export type CodeToExchange = {
  code: Secret
  verifier: Secret
  nonce: string
  issuer: string | undefined
  config: Config
  /** That the code was issued to. */
  clientId?: string | undefined
}

export async function keepWaitingCode(
  { links, seal }: Pick<Ports, 'links' | 'seal'>,
  { waitingCodeSeconds }: Settings,
  link: Link,
  { code, verifier, nonce, issuer, config, clientId }: CodeToExchange,
  actor: Actor,
): Promise<Link> {
  const plain = JSON.stringify({ code: code.reveal(), verifier: verifier.reveal(), nonce, issuer, clientId })
  const waitingCode = { sealed: seal.seal(new Secret(plain), sealContext.waitingCode(link)) }
  const audit = linkEntry(link, 'code_waiting', actor, {})
  const moved = await links.move(link, 'code_waiting', { waitingCode, config, dueInSeconds: waitingCodeSeconds }, audit)
  return moved ?? findLink({ links }, link.id)
}

export async function openWaitingCode(
  { secrets, seal }: Pick<Ports, 'secrets' | 'seal'>,
  link: Link,
): Promise<CodeToExchange | undefined> {
  const sealed = await secrets.waitingCode(link.id)
  if (!sealed) return undefined
  const opened = JSON.parse(seal.open(sealed, sealContext.waitingCode(link)).reveal())
  const { code, verifier, nonce, issuer, clientId } = opened
  return { code: new Secret(code), verifier: new Secret(verifier), nonce, issuer, config: link.config, clientId }
}
