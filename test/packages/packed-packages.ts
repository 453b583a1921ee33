// Packs the packages as published and installs them into a folder.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildPackages, packageNames, packPackage } from '../../scripts/set-up/packages.mjs'
import { temporaryFolder } from '../support/processes/stores.ts'

export const root = fileURLToPath(new URL('../../', import.meta.url))

export type PackageName = (typeof packageNames)[number]

export type PackedPackage = { tarball: string; size: number; files: string[]; manifest: Manifest }

export type Manifest = {
  name: string
  version: string
  license: string
  type: string
  exports?: Record<string, { types: string; default: string }>
  bin?: Record<string, string>
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional: boolean }>
}

/** Builds and packs copies. Does not use or change `dist` of this checkout. */
export async function packPackages(): Promise<Record<PackageName, PackedPackage>> {
  const folder = temporaryFolder()
  for (const name of packageNames) {
    const isOurs = (path: string) => !['node_modules', 'dist'].includes(basename(path))
    cpSync(join(root, 'packages', name), join(folder, 'packages', name), { recursive: true, filter: isOurs })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  await buildPackages(folder)
  const packed = packageNames.map((name) => [
    name,
    { ...packPackage(folder, name, folder), manifest: manifestOf(name) },
  ])
  return Object.fromEntries(packed) as Record<PackageName, PackedPackage>
}

const manifestOf = (name: PackageName): Manifest =>
  JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'))

/** Unpacks the tarballs and their dependencies into an empty folder. */
export function installPacked(packed: Record<PackageName, PackedPackage>, others: readonly string[]): string {
  const folder = temporaryFolder()
  for (const { tarball, manifest } of Object.values(packed)) {
    const target = join(folder, 'node_modules', manifest.name)
    mkdirSync(target, { recursive: true })
    const { status, stderr } = spawnSync('tar', ['-xzf', tarball, '-C', target, '--strip-components=1'])
    if (status !== 0) throw new Error(String(stderr))
  }
  for (const name of others) link(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  return folder
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}
