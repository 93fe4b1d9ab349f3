import { Account } from '../account/account.tsx';
import { hydratePage } from '../client/hydrate.tsx';

hydratePage('account', Account);
