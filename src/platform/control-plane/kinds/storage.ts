import {
  Drive,
  DriveDeleted,
  DriveInput,
  Volume,
  VolumeInput,
  VolumeTemplate,
  VolumeTemplateInput,
} from '../../../contract/control-plane/storage.ts'
import type { Kind } from '../domain/kind.ts'
import type { Document } from '../domain/resource.ts'

export const drive: Kind = {
  name: 'drive',
  path: '/drives',
  param: 'driveName',
  scope: 'drives',
  listing: 'pages',
  input: DriveInput,
  document: Drive,
  deploys: 'at once',
  immutable: ['region', 'size'],
  setOnce: ['size'],
  assigned: ['infrastructureId'],
  // Drives are folders on this platform, so there is no bucket.
  extras: () => ({ state: { s3Url: '' } }),
  deleteResponse: {
    document: DriveDeleted,
    of: ({ metadata }) => {
      const { name = '' } = metadata as Document
      return { name, message: `Drive ${name} was deleted.` }
    },
  },
  referencedBy: { kinds: ['agent', 'function', 'sandbox'], reference: (name) => ({ drives: [{ name }] }) },
}

export const volume: Kind = {
  name: 'volume',
  path: '/volumes',
  param: 'volumeName',
  scope: 'volumes',
  listing: 'pages',
  input: VolumeInput,
  document: Volume,
  deploys: 'at once',
  immutable: ['region', 'size', 'template'],
  assigned: ['infrastructureId', 'size'],
  attachable: true,
  deleteResponse: { document: Volume, of: (volume, now) => ({ ...volume, terminatedAt: now.toISOString() }) },
  referencedBy: { kinds: ['sandbox'], reference: (name) => ({ volumes: [{ name }] }) },
}

export const volumeTemplate: Kind = {
  name: 'volumetemplate',
  path: '/volume_templates',
  param: 'volumeTemplateName',
  scope: 'volumeTemplates',
  putScope: 'upsert',
  listing: 'array',
  input: VolumeTemplateInput,
  document: VolumeTemplate,
}
