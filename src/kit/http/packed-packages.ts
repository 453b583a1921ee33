import { existsSync, readdirSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import express, { type Router } from 'express'
import { installedRoot, readVersion } from '../installed/installed-root.ts'
import { exactRouter } from './exact-routing.ts'

type PackedPackages = { publicUrl: string; scope: string; folder?: string }

/** pip reads the version from the name of a wheel. */
const fileName = /^(?:(?<name>[a-z]+)\.tgz|(?<project>[a-z]+)-(?<version>[\w.]+)-py3-none-any\.whl)$/g

/** Serves the packages of the build for `npm install` and `pip install`, and lists them at /packages/. */
export function packedPackages({
  publicUrl,
  scope,
  folder = join(installedRoot, 'dist-packages'),
}: PackedPackages): Router {
  const files = () => (existsSync(folder) ? readdirSync(folder) : [])
  const list = () => files().flatMap((file) => [...file.matchAll(fileName)])
  // Revalidated, because a release replaces the files.
  const setHeaders = (res: ServerResponse, file: string) => {
    res.setHeader('Cache-Control', 'public, no-cache')
    res.setHeader('Content-Type', file.endsWith('.whl') ? 'application/zip' : 'application/gzip')
  }
  return exactRouter()
    .get(['/packages', '/packages/'], (_req, res) => {
      const data = list().map(([file, npmName, project, version = readVersion()]) => ({
        name: project ?? `${scope}/${npmName}`,
        version,
        url: `${publicUrl}/packages/${file}`,
      }))
      res.json({ data })
    })
    .get(
      /^\/packages\/([^/]+)$/,
      (req, _res, next) => {
        const file = String(req.params[0])
        if (file.search(fileName) < 0) return next('route')
        req.url = `/${file}`
        next()
      },
      express.static(folder, { setHeaders, index: false, redirect: false }),
      (req, _res, next) => {
        req.url = req.originalUrl
        next()
      },
    )
}
