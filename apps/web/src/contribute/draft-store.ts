import { type Draft, isDraft } from './draft.ts';

const DATABASE = 'esd-contribute';
const STORE = 'drafts';

/** Reads the drafts in this browser by name. Every function here throws if the browser stores none, as in some private windows. */
export async function readDrafts(): Promise<Map<string, Draft>> {
  const drafts = new Map<string, Draft>();
  await inStore('readonly', (store) => {
    const reading: IDBRequest<IDBCursorWithValue | null> = store.openCursor();
    reading.onsuccess = () => {
      const { result: cursor } = reading;
      if (!cursor) return;
      const stored: unknown = cursor.value;
      if (typeof cursor.key === 'string' && isDraft(stored)) drafts.set(cursor.key, stored);
      cursor.continue();
    };
  });
  return drafts;
}

/** Writes a draft, unless the stored one was saved at a time other than `expectedSavedAt`. Returns whether it did. */
export async function writeDraft(name: string, draft: Draft, expectedSavedAt: string | undefined): Promise<boolean> {
  let isWritten = false;
  await inStore('readwrite', (store) => {
    const reading = store.get(name);
    reading.onsuccess = () => {
      if (isDraft(reading.result) && reading.result.savedAt !== expectedSavedAt) return;
      store.put(draft, name);
      isWritten = true;
    };
  });
  return isWritten;
}

export async function deleteDraft(name: string): Promise<void> {
  await inStore('readwrite', (store) => void store.delete(name));
}

let opened: Promise<IDBDatabase> | undefined;

function open(): Promise<IDBDatabase> {
  opened ??= new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => {
      // Another tab may have a newer page that upgrades the database.
      request.result.onversionchange = () => {
        request.result.close();
        opened = undefined;
      };
      resolve(request.result);
    };
    request.onerror = () => reject(request.error ?? new Error('This browser stores no drafts.'));
  });
  opened.catch(() => (opened = undefined));
  return opened;
}

/** Runs `act` and the callbacks of its requests in one transaction. */
async function inStore(mode: IDBTransactionMode, act: (store: IDBObjectStore) => void): Promise<void> {
  const database = await open();
  await new Promise<void>((resolve, reject) => {
    const transaction = database.transaction(STORE, mode);
    act(transaction.objectStore(STORE));
    transaction.oncomplete = () => resolve();
    transaction.onerror = transaction.onabort = () =>
      reject(transaction.error ?? new Error('The draft was not stored.'));
  });
}
