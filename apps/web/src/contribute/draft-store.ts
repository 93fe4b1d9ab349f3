import { type Draft, isDraft } from './draft.ts';

const DATABASE = 'esd-contribute';
const STORE = 'drafts';

/** The drafts that this browser keeps, by name. Every function throws where it keeps nothing, as in some private windows. */
export async function readDraft(name: string): Promise<Draft | undefined> {
  const value = await inStore('readonly', (store) => store.get(name));
  return isDraft(value) ? value : undefined;
}

export async function writeDraft(name: string, draft: Draft): Promise<void> {
  await inStore('readwrite', (store) => store.put(draft, name));
}

export async function deleteDraft(name: string): Promise<void> {
  await inStore('readwrite', (store) => store.delete(name));
}

let opened: Promise<IDBDatabase> | undefined;

function open(): Promise<IDBDatabase> {
  opened ??= new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => {
      // Another tab may have a newer version of the page.
      request.result.onversionchange = () => {
        request.result.close();
        opened = undefined;
      };
      resolve(request.result);
    };
    request.onerror = () => reject(request.error ?? new Error('This browser keeps no drafts.'));
  });
  opened.catch(() => (opened = undefined));
  return opened;
}

async function inStore(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest): Promise<unknown> {
  const database = await open();
  return await new Promise((resolve, reject) => {
    const transaction = database.transaction(STORE, mode);
    const request = act(transaction.objectStore(STORE));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onerror = transaction.onabort = () => reject(transaction.error ?? new Error('The draft was not kept.'));
  });
}
