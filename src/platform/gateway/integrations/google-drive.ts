import { args, count, google, text } from './schema.ts'

const api = 'https://www.googleapis.com/drive/v3'

export const googleDrive = google({
  name: 'google-drive',
  displayName: 'Google Drive',
  apiHosts: ['www.googleapis.com'],
  tools: [
    {
      name: 'search_files',
      description: 'Finds files and folders.',
      inputSchema: args({
        query: text("A Drive query, for example: name contains 'plan' and trashed = false"),
        pageSize: count('How many', 100),
        pageToken: text('nextPageToken of the previous answer'),
      }),
      request: {
        method: 'GET',
        url: `${api}/files`,
        query: {
          q: '{query}',
          pageSize: '{pageSize}',
          pageToken: '{pageToken}',
          fields: 'nextPageToken,files(id,name,mimeType,size,modifiedTime,webViewLink,parents)',
        },
      },
    },
    {
      name: 'get_file',
      description: 'Tells about one file: its name, type, size, owners and links.',
      inputSchema: args({ fileId: text('The id of the file') }, ['fileId']),
      request: {
        method: 'GET',
        url: `${api}/files/{fileId}`,
        query: { fields: 'id,name,mimeType,size,createdTime,modifiedTime,webViewLink,parents,owners(emailAddress)' },
      },
    },
    {
      name: 'read_file',
      description:
        'Reads the content of a file that is not a Google document: as text, or with its type where it is none.',
      inputSchema: args({ fileId: text('The id of the file') }, ['fileId']),
      request: { method: 'GET', url: `${api}/files/{fileId}`, query: { alt: 'media' } },
    },
    {
      name: 'export_document',
      description: 'Reads a Google document, sheet or presentation in another format.',
      inputSchema: args(
        { fileId: text('The id of the document'), mimeType: text('For example text/plain, text/csv or text/html') },
        ['fileId', 'mimeType'],
      ),
      request: { method: 'GET', url: `${api}/files/{fileId}/export`, query: { mimeType: '{mimeType}' } },
    },
  ],
})
