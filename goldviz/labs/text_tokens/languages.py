"""One sentence in several languages, each a translation of the English one, and numbers to cut."""

SENTENCES = {
    "English": "The price of gold rose today because many people fear that money will lose its value.",
    "German": "Der Goldpreis stieg heute, weil viele Menschen fürchten, dass Geld seinen Wert verliert.",
    "French": "Le prix de l'or a augmenté aujourd'hui, car beaucoup de gens craignent que l'argent perde sa valeur.",
    "Spanish": "El precio del oro subió hoy porque mucha gente teme que el dinero pierda su valor.",
    "Finnish": "Kullan hinta nousi tänään, koska moni pelkää rahan menettävän arvonsa.",
    "Greek": "Η τιμή του χρυσού ανέβηκε σήμερα, επειδή πολλοί φοβούνται ότι το χρήμα θα χάσει την αξία του.",
    "Russian": "Цена золота сегодня выросла, потому что многие боятся, что деньги потеряют свою ценность.",
    "Hebrew": "מחיר הזהב עלה היום, כי אנשים רבים חוששים שהכסף יאבד מערכו.",
    "Arabic": "ارتفع سعر الذهب اليوم لأن كثيرا من الناس يخشون أن يفقد المال قيمته.",
    "Hindi": "आज सोने की कीमत बढ़ गई क्योंकि बहुत से लोगों को डर है कि पैसे का मूल्य घट जाएगा।",
    "Chinese": "今天金价上涨，因为许多人担心货币会贬值。",
    "Japanese": "多くの人がお金の価値が下がることを恐れているため、今日は金の価格が上がった。",
}
NUMBERS = ("7", "42", "365", "1024", "31415", "271828", "1234567", "12345678", "123456789")
