import { hash } from 'node:crypto'

/** One-shot `hash` takes half the time of a `Hash` object for short texts. */
export const sha256 = (text: string): string => hash('sha256', text, 'base64url')

export const sha256Bytes = (text: string): Buffer => hash('sha256', text, 'buffer')
