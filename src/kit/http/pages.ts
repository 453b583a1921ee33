import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import express, { type Express } from 'express'
import { installedRoot } from '../installed/installed-root.ts'
import { compressedAssets } from './compressed-assets.ts'

const files = join(installedRoot, 'public')

/** Serves templates from `views`, and assets from `public` under /assets. */
export function servePages(app: Express): void {
  app.set('view engine', 'ejs')
  app.set('views', join(installedRoot, 'views'))
  app.set('view cache', true)
  // Short, then revalidated: a release changes files in place.
  const headers = { 'Cache-Control': 'public, max-age=600' }
  const setHeaders = (res: ServerResponse) => void res.setHeaders(new Map(Object.entries(headers)))
  const assets = { setHeaders, index: false, redirect: false }
  app.use('/assets', compressedAssets(files, headers), express.static(files, assets))
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' }

/** For the one page that is built without a template. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign] as string)
