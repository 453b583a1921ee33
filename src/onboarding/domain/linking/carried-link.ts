// Travels with its authorization, so a callback need not read the ledger. A move of a stale link is rejected.
import { type Link, LinkRow } from '../link.ts'

export const packLink = (link: Link): string => JSON.stringify(link)

/** Returns undefined if an older version wrote the text without a required member. */
export const unpackLink = (text: string): Link | undefined => LinkRow.safeParse(JSON.parse(text)).data
