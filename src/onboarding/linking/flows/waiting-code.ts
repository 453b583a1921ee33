// Between the callback and the tenant's confirmation the authorization code waits, sealed, for about two minutes.

import { Secret } from '../../../kit/crypto/secret.ts'
import type { Actor } from '../../domain/audit/audit.ts'
import { linkEntry } from '../../domain/audit/audit-entry.ts'
import type { Config, Link } from '../../domain/link.ts'
import type { LinkSecrets, Links } from '../../domain/ports/provisioning.ts'
import type { Seal } from '../../domain/ports/shared.ts'
import { sealContext } from '../../domain/seal-context.ts'
import type { Settings } from '../../domain/settings.ts'

/** What a token request needs besides the client. */
export type CodeToExchange = {
  code: Secret
  verifier: Secret
  nonce: string
  issuer: string | undefined
  config: Config
}

export const keepWaitingCode =
  ({ links, seal }: { links: Links; seal: Seal }, { waitingCodeSeconds }: Pick<Settings, 'waitingCodeSeconds'>) =>
  async (link: Link, { code, verifier, nonce, issuer, config }: CodeToExchange, actor: Actor): Promise<Link> => {
    const plain = JSON.stringify({ code: code.reveal(), verifier: verifier.reveal(), nonce, issuer })
    const waitingCode = { sealed: seal.seal(new Secret(plain), sealContext.waitingCode(link)) }
    const audit = linkEntry(link, 'code_waiting', actor, {})
    const moved = await links.move(
      link,
      'code_waiting',
      { waitingCode, config, dueInSeconds: waitingCodeSeconds },
      audit,
    )
    // Another delivery of the same callback was faster; what it made of the link is the answer to both.
    return moved ?? (await links.find(link.id)) ?? link
  }

export const openWaitingCode =
  ({ secrets, seal }: { secrets: LinkSecrets; seal: Seal }) =>
  async (link: Link): Promise<CodeToExchange | undefined> => {
    const sealed = await secrets.waitingCode(link.id)
    if (!sealed) return undefined
    const { code, verifier, nonce, issuer } = JSON.parse(seal.open(sealed, sealContext.waitingCode(link)).reveal())
    return { code: new Secret(code), verifier: new Secret(verifier), nonce, issuer, config: link.config }
  }
