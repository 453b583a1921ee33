import { ClientCapabilities, cardExtension, cardMimeType } from '../../../../contract/gateway/elicitation.ts'
import { type Caller, isPerson } from '../../../shared/domain/caller.ts'

/** What a client does for its user: opens URLs, shows forms, shows cards. */
export type Declared = { urls: boolean; forms: boolean; cards: boolean }

export const nothingDeclared: Declared = { urls: false, forms: false, cards: false }

export function declaredBy(capabilities: unknown): Declared {
  const { data } = ClientCapabilities.safeParse(capabilities)
  const { elicitation, extensions } = data ?? {}
  const urls = elicitation?.url !== undefined
  return {
    urls,
    forms: elicitation !== undefined && (elicitation.form !== undefined || !urls),
    cards: extensions?.[cardExtension]?.mimeTypes.includes(cardMimeType) ?? false,
  }
}

/** `session`: before 2026-07-28, where a session declares for all its requests. */
export type Client = { declares: Declared; session: string | undefined }

/**
 * How a person is led to a page. `input`: an input-required result (2026-07-28). `error`: error -32042 (2025-11-25).
 * `card`: a tool that shows a button (MCP Apps). `text`: a sentence.
 */
export type Rung = 'input' | 'error' | 'card' | 'text'

/** A key is used by programs, which have no user to show a card to. */
export function rungOf({ declares: { urls, cards }, session }: Client, caller: Caller): Rung {
  if (urls) return session === undefined ? 'input' : 'error'
  return cards && isPerson(caller) ? 'card' : 'text'
}

export const pageCardUri = 'ui://causeway/page'
export const pageToolName = 'causeway_open_page'

/** The words that lead to a page, after who should open it. */
export const leadTo = (who: string, url: string, rung: Rung): string =>
  rung === 'card'
    ? `show ${who} a button with ${pageToolName} and the URL ${url}, or ask them to open it`
    : `ask ${who} to open ${url}`
