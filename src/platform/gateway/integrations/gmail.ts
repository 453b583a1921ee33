import { args, count, google, text } from './schema.ts'

const api = 'https://gmail.googleapis.com/gmail/v1/users/me'

export const gmail = google({
  name: 'gmail',
  displayName: 'Gmail',
  apiHosts: ['gmail.googleapis.com'],
  tools: [
    {
      name: 'search_messages',
      description: 'Finds messages with a Gmail search, newest first. Answers ids; read_message has the content.',
      inputSchema: args({
        query: text('A Gmail search, for example: from:user@acme.example is:unread newer_than:7d'),
        maxResults: count('How many', 100),
        pageToken: text('nextPageToken of the previous answer'),
      }),
      request: {
        method: 'GET',
        url: `${api}/messages`,
        query: { q: '{query}', maxResults: '{maxResults}', pageToken: '{pageToken}' },
      },
    },
    {
      name: 'read_message',
      description: 'Reads one message.',
      inputSchema: args(
        {
          id: text('The id of the message'),
          format: { type: 'string', enum: ['full', 'metadata', 'minimal'], description: 'How much of it' },
        },
        ['id'],
      ),
      request: { method: 'GET', url: `${api}/messages/{id}`, query: { format: '{format}' } },
    },
    {
      name: 'read_thread',
      description: 'Reads all messages of one conversation.',
      inputSchema: args({ id: text('The id of the thread') }, ['id']),
      request: { method: 'GET', url: `${api}/threads/{id}` },
    },
    {
      name: 'send_message',
      description: 'Sends a plain-text message from the linked account.',
      inputSchema: args(
        {
          to: text('Addresses, with commas between'),
          cc: text('Addresses, with commas between'),
          bcc: text('Addresses, with commas between'),
          subject: text('The subject'),
          text: text('The message'),
          threadId: text('The thread to answer in'),
          inReplyTo: text('The Message-ID header of the message this answers'),
        },
        ['to', 'subject', 'text'],
      ),
      request: {
        method: 'POST',
        url: `${api}/messages/send`,
        derived: {
          raw: {
            as: 'mail',
            from: {
              to: '{to}',
              cc: '{cc}',
              bcc: '{bcc}',
              subject: '{subject}',
              text: '{text}',
              inReplyTo: '{inReplyTo}',
            },
          },
        },
        body: { raw: '{raw}', threadId: '{threadId}' },
      },
    },
    {
      name: 'list_labels',
      description: 'Lists the labels of the mailbox.',
      inputSchema: args({}),
      request: { method: 'GET', url: `${api}/labels` },
    },
  ],
})
