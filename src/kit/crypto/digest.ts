import { hash } from 'node:crypto'

/** In one call: an object that takes text piece by piece costs twice as much as the digest of a short one. */
export const sha256 = (text: string): string => hash('sha256', text, 'base64url')

export const sha256Bytes = (text: string): Buffer => hash('sha256', text, 'buffer')
