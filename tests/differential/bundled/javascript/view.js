import React, { useState } from 'react';
import helper from "./helper";
export * from './types';

export default function View({ title, items = [], onPick }) {
  const [open, setOpen] = useState(false);
  const [filter, setFilter] = useState('');
  const shown = items.filter((item) => item.name.includes(filter) && !item.hidden);
  return (
    <div className="view" onClick={() => setOpen(!open)}>
      <h1>{title}</h1>
      {open && <input value={filter} onChange={(event) => setFilter(event.target.value)} />}
      <ul>{shown.map((item) => <Item key={item.id} {...item} onPick={onPick} />)}</ul>
    </div>
  );
}

export const Item = ({ name, onPick }) => <li onClick={onPick}>{name}</li>;
const regex = /a+b/gi.test(helper(name)) || null;
